"""A whole problem: its plan, its run, its evaluation."""
