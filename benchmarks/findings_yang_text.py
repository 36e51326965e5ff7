"""The claims of [Y14] and [Y15] in the papers' words, and the paragraphs around the tables of `findings_yang`."""

BEST_OR_SECOND = '"ws-SNE is the best or second best in all cases" (figure 1, AUC; here of five methods).'
SHUTTLE = (
    '"graphviz and ws-SNE are successful for shuttle", LinLog fails "by mixing up the classes in a hairball" and in '
    "t-SNE \"the classes were broken up\" (section 6; AUC above LinLog's and t-SNE's)."
)
MNIST_TSNE = 'for MNIST "t-SNE and ws-SNE correctly identify most classes", "ws-SNE has even better AUC" (section 6).'
MNIST_WORSE = (
    '"graphviz and LinLog perform much worse" on MNIST (section 6; AUC below that of ws-SNE by more than 0.1).'
)
CONTINENTS = (
    '"graphviz, LinLog and ws-SNE can basically group the countries by their continents", t-SNE fails (section 6; AUC '
    "above t-SNE's)."
)
HUBS_TSNE = (
    'in t-SNE "the high-degree nodes are crowded in the middle while those with low degrees are scattered in the '
    'periphery" (section 6; rank correlation of degree and distance from the middle below -0.5).'
)
HUBS_SFDP = 'graphviz, too, tends "to squeeze big airports in the middle" (section 6; the same measure).'
HUBS_WSSNE = 'ws-SNE uses edge repulsion "to handle such cases of imbalanced degrees" (section 5.1; above -0.5).'
AIRPORTS = (
    '"LinLog and ws-SNE are more successful" than graphviz and t-SNE in placing airports as on the map (section 6; 10 '
    "nearest on the map kept),"
)
AIRPORTS_R2 = "and the same by Procrustes R²."
HAIRBALLS = (
    'for luxembourg "LinLog and t-SNE simply give meaningless displays like hairballs" (section 6; R² with the map '
    "below 0.1)."
)
ROADS = '"graphviz and ws-SNE successfully present" its structure (section 6; R² of 0.9 or more).'
ELASTIC = (
    'with lambda = 1 "EE only works well for shuttle and fails badly for all the other datasets" (section 6; works: at '
    "least 0.9 of the best method's number, which is given)."
)
REPULSED = (
    '"EE performance heavily relies on lambda" (section 6; the least of five lambda is below 0.9 of the greatest).'
)
ONLY = (
    '"ws-SNE is the only method that gives good visualizations over all" data sets (section 6; least part of the best '
    "method's number, and that of the best other method: only ws-SNE has 0.9)."
)
TIES = (
    '"gamma-QuadLog ties with graphviz as the best" in AUC on shuttle (section 6, figure 3; within 0.02 of sfdp, and '
    "no other above by more)."
)
ZOOM = (
    '"zooming the display to a dense area as in EE and ws-SNE was not needed for gamma-QuadLog" (section 6; how many '
    "times as far as the median point the farthest is)."
)
HELPS = (
    '"Smoothing can help layout methods avoid poor local optima" (section 5.2; gamma-QuadLog on shuttle, rho 0.99 '
    "against 0: AUC higher by more than 0.02)."
)
AROUND_TWO = '"for all datasets, the average number of trials is around two" (supplement, 7.2; 1.75 to 2.25).'
DECREASED = (
    'the number of trials "is generally and slightly decreased with larger datasets" (7.2; smallest set and largest. '
    "The paper's own table 2 goes from 2.00 to 2.10 on these sets)."
)
MORE_CALLS = '"the SD often requires more cost function calls than MM" (7.2; calls a step of SD and of MM).'
SLOWER = 'which "is one of the reasons that SD is slower" (7.2; J of SD less J of MM after the same seconds).'
RHO_VARIES = '"rho can vary greatly in different iterations" (7.3; by a factor of 100 or more).'

INTRODUCTION = """# What the papers on ws-SNE and majorization found

The two papers that this package began with report how ws-SNE and gamma-QuadLog draw (Yang, Peltonen & Kaski 2014), and
how majorization-minimization descends (Yang, Peltonen & Kaski 2015, of which the supplement was at hand). `python -m
benchmarks.findings_yang` asks the same of our implementations and writes this page; its parts are `figures`,
`smoothing` and `optimizers`, and together they take some twenty minutes of one core. It needs Graphviz' `sfdp`, and
takes stored numbers where there is none. [What the papers found](findings.md) does this for three other papers.

No method was tuned: each has one setting, that of the paper where it names one and else its own default. The one
exception, lambda of EE, is shown apart. worldtrade and usair97 are means over five seeds, the others are drawn from
seed 0. Of the paper's six sets mirex07 could not be had. The AUC that it prints are inside its figure, which we do not
have as text, so there are no numbers to put beside ours.

## In short

A number behind a set or a method is what was measured, most often the lead that the claim speaks of. *From random
starts* is explained below; without these words, a drawing has the start that `nelayout` gives it.
"""

FIGURES = """## Five methods on five sets

Vectors (shuttle, MNIST) are drawn as the graph of their 10 nearest neighbors, joined where either is the other's, and
by t-SNE from similarities of perplexity 30; graphs as they are, every edge counting 1. LinLog has edge repulsion, EE
lambda = 1, ws-SNE the Cauchy kernel.

*AUC* is the area under mean precision and mean recall when the nearest K in the drawing are retrieved and those of the
same class are relevant, over all K (1,000 points of the large sets ask, the same ones for every method). *Class
accuracy* is the share of points whose class is that of most of their 10 nearest. *Map R²* is Procrustes agreement with
the true places, *map neighbors* the share of the 10 nearest there that are among the 10 nearest here. *Hubs outside* is
the rank correlation of a node's degree with its distance from the middle: at -1 hubs are crowded in the middle. *Reach*
is how many times as far from the middle the farthest node is as the median one. Bold is the best in the number that
counts for the set. A *stored* row is an earlier drawing by sfdp, of which there is neither picture nor curve.

![Five sets drawn by sfdp, LinLog, t-SNE, EE and ws-SNE](images/findings-yang-drawings.png)

*Colors are classes; on usair97 and luxembourg they go from west (dark) to east. A panel leaves out the half per cent
of the nodes that lie farthest out at each side.*

![Mean precision over mean recall of the five methods on shuttle, MNIST and worldtrade](images/findings-yang-curves.png)
"""

RANDOM = """### From random starts

`nelayout` draws every method through coarsened graphs and grows heavy tails step by step. The paper says nothing of
starts, and the usual ones are random. So the same methods were also drawn from random positions by their own objective
alone: LinLog by 100 steps of majorization, t-SNE by momentum with an exaggeration of 12 for 250 of 1,000 steps, EE and
ws-SNE by up to 200 steps of the spectral direction (the paper has up to 1,000 for ws-SNE). MNIST was drawn by LinLog
only. sfdp, which coarsens by itself, is compared with both.

![Four sets drawn from random starts by LinLog, t-SNE, EE and ws-SNE](images/findings-yang-random.png)
"""

FIGURES_SAID = """
What the paper says of hubs stands from either start: t-SNE, EE and sfdp put well-connected countries and airports into
the middle, LinLog and ws-SNE do not, and these two keep more of the neighborhoods on the map. Procrustes R² of usair97
says less: LinLog, sfdp and ws-SNE have 0.70 to 0.72.

What it says of hairballs is about starts as much as about methods. From random ones LinLog and t-SNE tangle luxembourg
as in the paper, but so do our EE and ws-SNE; through coarsened graphs all of them draw the map. On shuttle LinLog is no
hairball from our start, and the worst of all from a random one.

LinLog is where we differ most: it keeps the classes of MNIST better than any other method, from either start, so that
ws-SNE is not the only method that is good on every set. On shuttle ws-SNE is last of five. Its 10 nearest say a
point's class as well as any method's there; but four in five of the points are of one class, and AUC asks for all of
them, which costs a method that parts clusters.
"""

REPULSION = """### What lambda does in EE

The AUC (worldtrade) and the share of map neighbors (usair97) over five lambda, beside ws-SNE, which has none to choose:
"""

SMOOTHING = """## gamma-QuadLog on a smoothed graph

The paper draws shuttle with rho = 0.99 by gradient descent with backtracking (figure 3). Here majorization draws its
10-nearest-neighbor graph, whose walks are all taken into account, from our start and from random positions (100 steps).

![shuttle by gamma-QuadLog smoothed and not, from two starts](images/findings-yang-smoothing.png)
"""

SMOOTHING_SAID = """
The objective draws shuttle alike with and without smoothing and from either start, in AUC with sfdp and LinLog at the
top. So smoothing has no poor optimum to help out of here, at three times the seconds. Its drawing reaches farther than
that of ws-SNE, but not as far as that of EE.
"""

RACES = """## Optimizers from one start

The supplement counts, for t-SNE, how often majorization has to try a rho and the spectral direction a length (table 2),
and shows J over steps; J over time is in the paper itself. Here all optimizers begin at the same points, normally
distributed with standard deviation 0.01, minimize the same J, t-SNE of the 10-nearest-neighbor graph (which
similarities the paper used, the supplement does not say), and have the same processor seconds on one thread: 0.3 for
scotland, 1.5 for coil20, 3 for pendigits, 6 for shuttle and MNIST. The other seven sets of the paper are not at
hand.

*MM as in the paper* halves rho after every step; ours does not halve it after a step for which it had to be doubled,
see [Optimizers](optimizers.md). The line search of our spectral direction (SD) starts from the last length. Momentum
has no exaggeration here, which t-SNE programs give it.

![J above the least over seconds and over steps, five optimizers on five sets](images/findings-yang-optimizers.png)
"""

RACES_SAID = """
Graphs are largest components: 86 of the 108 nodes of scotland, 1,080 of the 1,440 images of coil20, all but 24
of pendigits.

By the paper's rule majorization tries fewer than two rhos a step here. It takes two once rho has come down as far as it
can, and runs on the large sets are some 20 to 60 steps, most of which are on the way there; on coil20 rho hardly ever
has to rise. Our spectral direction, whose line search goes on from the last length, needs fewer calls a step than
majorization as in the paper on all sets but coil20, and is well ahead of it on shuttle and pendigits. So what the
supplement says of the spectral direction is not found with ours. Both leave L-BFGS and momentum behind in these seconds
on the larger sets, as they begin near the origin without a schedule; the drawings of `nelayout` begin elsewhere, and
there [L-BFGS is ahead](optimizers.md).
"""
