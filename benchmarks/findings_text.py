"""What the page of `benchmarks.findings` says around its tables."""

INTRODUCTION = """# What the papers found

Three papers behind the methods here report what their method keeps better than others do. `python -m
benchmarks.findings` asks the same of our implementations and writes this page: tables, the papers' numbers where they
print any, and for each finding whether it holds. It takes about a quarter of an hour on one core.

Every drawing is `nelayout.embed` with the perplexity that is named, three times as many neighbors, `init="auto"`, one
thread and seed 0. Differences of a hundredth are within what another seed changes. The papers' programs, their starts
and some of their settings are unknown or differ (they compare all pairs, and anneal the perplexity or begin at
random), so orders can be compared and numbers hardly.
"""

MIXTURES = """## SNE, NeRV, JSE and t-SNE

Lee, Renard, Bernard, Dupont and Verleysen (2013) count how much of the K nearest neighbors is kept: with $Q_{NX}(K)$
the mean share of a point's K nearest that are among its K nearest in the drawing,

$$
R_{NX}(K) = \\frac{(N-1)\\, Q_{NX}(K) - K}{N - 1 - K}
$$

is 0 for a random drawing and 1 for a perfect one. *Area* is its mean with weights 1/K. *100 B* is the mean of
$100\\, B_{NX}(K)$: above 0 strangers come in, below 0 neighbors are torn away. (The paper's equation 43 as printed has
the other sign than its figures: a circle squashed onto a line comes out negative.) The perplexity is N/20 as in the
paper, and 32 for the 6,000 digits, where N/20 costs minutes for each drawing; kappa is 1/2. The paper shows its results
as curves, so there are no numbers to put beside these.
"""

KAPPA = """## What kappa does

kappa = 0 is SNE; larger, false neighbors count more (the same paper, section 5.4.2 and figures 8 to 13). The paper
prints two numbers for each method, 100 B of the sphere at kappa 0.05 and 0.95, from 3,000 points where ours has 1,000.

![Curves of R over K. For NeRV they rise with kappa, evenly; for JSE all but the smallest kappa
lie close together, near or above t-SNE](images/findings-kappa.png)
"""

FAMILY = """## The f-divergences of t-SNE

Im, Verma and Branson (2018) call two points neighbors when their similarity is above a threshold: $p_{j|i}$ in the
data, $q_{j|i}$ (each row of the Cauchy similarities divided by its sum) in the drawing, the same threshold for both. F
is the harmonic mean of mean precision and mean recall. They do not say which thresholds or perplexities their tables
have. Here the threshold is the one above which a point has 5, 10, ... neighbors in the data on average, and *greatest*
is over these; a point that retrieves nobody has precision 0. Their sets of digits have 6,000 images, ours 1,000, in 30
principal components as theirs.
"""

ALPHA = """## The order of alpha-SNE

Amid, Dikmen and Oja (2015) call the 20 nearest in the data relevant, retrieve the 1 to 100 nearest in the drawing, and
take the area under mean precision against mean recall. They give no perplexity; here it is 20. iris and wine are means
of three seeds, wine is standardized (unscaled, one column decides alone), digits are scikit-learn's 1,797.
"""

CHOICE = "end"
