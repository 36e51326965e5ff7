"""The tests of a plain run, which shows in about a minute that the package works."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    import pytest

__all__ = ["SHORT", "one_of_each"]

# File -> names of tests, without `test_`.  A plain run takes `one_of_each` of a product over tables, so a new line of a
# table needs no line here.
SHORT = {
    "core/added/test_added.py": ["gradient_is_that_of_the_drawing_s_own_objective"],
    "core/catalogue/test_own_keywords.py": [
        "the_tables_know_the_same_keywords", "a_number_behind_the_name_is_the_first_of_them",
    ],
    "changing/test_changing.py": [
        "hosts_give_back_their_own_type", "old_nodes_do_not_move_by_a_bit", "identical_snapshots_do_not_move",
        "the_command_line_makes_a_film_of_its_files",
    ],
    "cli/test_cli.py": [
        "options_are_the_keywords", "a_failure_of_a_process_is_one_line",
        "help_has_an_example_that_the_parser_takes", "methods_lists_the_catalogue", "draw_takes_positions_as_they_are",
        "a_plan_is_that_of_the_library",
    ],
    "cli/test_cli_compare.py": ["the_table_is_that_of_the_library", "without_an_output_the_table_is_printed"],
    "cli/test_cli_embed.py": ["every_format_gives_the_points_of_the_library", "options_are_the_keywords"],
    "cli/test_cli_refused.py": ["a_failure_is_one_line_and_leaves_no_file"],
    "comparison/test_alignment.py": ["a_similarity_is_undone"],
    "comparison/test_comparison.py": ["table_is_what_measure_says"],
    "comparison/test_measures_vectors.py": ["default_and_all", "stability_is_that_of_scipy"],
    "core/formula/test_alpha_choice.py": ["score_matching_is_the_loss_of_its_definition"],
    "core/formula/test_background.py": ["where_every_pair_has_a_similarity_the_value_is_the_divergence"],
    "core/formula/test_family.py": [
        "every_divergence_has_a_definition", "value_and_gradient_are_the_definition",
        "bad_parts_are_refused",
    ],
    "core/formula/test_part_names.py": ["divergences_are_values_with_names", "methods_are_values"],
    "core/formula/test_potentials.py": ["the_value_is_the_definition", "springs_add_their_own_energy_and_nothing_else"],
    "graphs/test_files.py": ["every_ending_reads_its_format", "standard_input_is_sniffed_and_said"],
    "graphs/test_files_round_trips.py": ["nelayout_reads_what_it_writes", "others_read_what_nelayout_writes"],
    "graphs/test_graphs_arrays.py": ["every_sparse_format"],
    "graphs/test_graphs_libraries.py": [
        "the_network_is_that_of_networkx", "the_drawing_is_that_of_networkx_bit_for_bit",
    ],
    "layouts/test_bad_input.py": ["what_is_no_graph", "values_out_of_range"],
    "layouts/test_forceatlas2.py": ["the_gradient_is_networkx_s_own_force"],
    "layouts/test_keywords.py": ["signature_and_docstring_show_every_keyword_with_its_default"],
    "layouts/test_layouts.py": [
        "positions_come_back_in_the_hosts_type_and_order", "fixed_nodes_come_back_bit_for_bit",
        "every_layout_draws_every_kind_of_host_and_is_found_by_its_name", "drawing_fits_scale_around_center",
        "callback_stops_the_run",
    ],
    "layouts/test_papers.py": ["nerv_and_jse_are_lee_equations_32_and_37", "alpha_sne_is_amid_equation_5"],
    "live/test_live.py": ["edits_are_the_edited_graph", "held_nodes_keep_their_bits_and_released_nodes_go_back"],
    "numerics/test_compiling.py": ["warming_up_says_where_nothing_can_be_stored"],
    "core/objective/test_evaluate.py": ["the_value_is_the_printed_j_of_the_positions"],
    "core/objective/test_node_cost.py": ["costs_add_up_to_the_value"],
    "core/objective/test_objective.py": ["values_at_the_best_lambda_are_gamma_and_renyi", "constants_of_the_values"],
    "core/optimizers/test_optimizers.py": ["every_optimizer_lowers_every_method", "a_single_edge_is_drawn"],
    "core/optimizers/test_optimizers_alone.py": ["they_come_to_rest_at_a_stationary_point"],
    "pictures/test_drawing.py": ["nodes_and_edges_lie_at_their_positions", "files_by_ending_twice_the_same"],
    "pictures/test_page.py": ["places_are_those_of_the_drawing", "the_command_line_writes_the_page"],
    "core/placing/test_components.py": ["small_graphs_stay_as_they_are"],
    "core/placing/test_orient.py": ["rotated_and_mirrored_copies_give_one_drawing"],
    "core/placing/test_overlap.py": ["no_two_boxes_overlap", "discs_that_do_not_overlap_stay_bit_for_bit"],
    "core/placing/test_packing.py": ["convex_hulls_stay_apart"],
    "plugins/test_plugins_igraph.py": ["every_layout_function_has_its_name"],
    "project/test_errors.py": ["classes_are_what_callers_catch", "misspelt_name_gets_its_near_match_first"],
    "project/test_examples.py": ["docstring_examples"],
    "project/test_house.py": ["public_names_resolve", "stub_lists_the_public_names", "the_short_run_exists"],
    "quality/test_measures_invariances.py": ["the_order_of_the_nodes_does_not_matter"],
    "quality/test_measures_table.py": [
        "values_are_those_by_hand", "every_measure_has_a_line_and_a_score_from_0_to_1", "hosts_agree",
    ],
    "core/run/test_auto.py": ["rings_are_circles"],
    "core/run/test_determinism.py": ["different_seeds_differ"],
    "core/run/test_plan.py": ["the_estimate_is_the_sum_of_the_table"],
    "core/run/test_zoo.py": ["drawing_is_whole"],
    "core/similarities/test_hops.py": ["rows_are_those_of_the_definition"],
    "core/similarities/test_masses.py": ["against_networkx"],
    "core/similarities/test_random_walk.py": ["operator_is_the_dense_matrix"],
    "core/sums/test_nbody.py": ["within_tolerance", "derivatives_of_the_radial_functions"],
    "vectors/test_cells.py": ["the_drawing_and_its_evidence_are_those_of_solve"],
    "vectors/test_embedding.py": ["tables_of_a_few_rows"],
    "vectors/test_entropic.py": ["the_joint_form_is_the_mean_of_both_directions"],
    "vectors/test_estimator.py": ["rows_and_drawing_belong_to_the_caller", "precomputed_distances"],
    "vectors/test_knn.py": ["nearest_by_definition", "symmetrization"],
}  # fmt: skip


def one_of_each(cases: Iterable[pytest.Function]) -> list[pytest.Function]:
    """Return cases of a test in which each value of each parameter occurs.

    A hash of the name orders the cases, so that a product gives more than its first row and its first column.
    """
    chosen, seen = [], defaultdict(set)
    for case in sorted(cases, key=lambda case: crc32(case.nodeid.encode())):
        values = case.callspec.params if hasattr(case, "callspec") else {"": ""}
        if any(repr(value) not in seen[name] for name, value in values.items()):
            chosen.append(case)
        for name, value in values.items():
            seen[name].add(repr(value))
    return chosen
