"""What the page of `benchmarks.findings` says around its tables."""

INTRODUCTION = """# What the papers found

Three papers behind the methods here report what their method keeps better than others do. `python -m
benchmarks.findings` asks the same of our implementations and writes this page: tables, the papers' numbers where they
print any, and for each finding whether it holds. It takes 40 minutes on one core.

Every drawing is `nelayout.embed` with the perplexity that is named, three times as many neighbors, `init="auto"`, one
thread and seed 0, but for sets called *annealed* or *all pairs*, see below. Differences of a hundredth are within what
another seed changes. The papers' programs, their starts and some of their settings are unknown or differ (they compare
all pairs), so orders can be compared and numbers hardly.

## In short

The claims are the papers' and every set that is drawn is named. A number behind a set is the smallest lead over the K
that are named, or the least step, a name the one that is best there. *Annealed* drawings are made as in the paper, *all
pairs* have a similarity for every pair, as there; "MNIST at 32" alone is at a perplexity that the paper does not have.
The papers on ws-SNE and majorization have [a page of their own](findings-yang.md).
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
paper, of 2,000 digits for its 6,000; *MNIST at 32* are 6,000 at perplexity 32. kappa is 1/2.
*Annealed* drawings are made as in the paper: from principal components, at perplexities N/2, N/4, ... before the last;
*all pairs* have `n_neighbors="all"`, as the paper has. t-SNE compares similarities whose sum over all pairs is one, as
its authors have it; *t-SNE by rows* has the paper's (its equation 3), of which those of each row sum to one.
The paper shows its results as curves, so there are no numbers to put beside these.

![Curves of R over K for SNE, NeRV, JSE and t-SNE on all settings](images/findings-methods.png)
"""

MIXTURES_SAID = """
Of the paper's order, JSE, t-SNE, NeRV, SNE, the first place is not found everywhere: among coil20's pictures and the
digits t-SNE keeps more of the 5 nearest than JSE, at the paper's perplexity more of the 10 nearest too, but for the
digits with all pairs, and there JSE keeps more of the 50 and 100 nearest digits. On the sphere JSE is the best at every
K in the table; there the paper has NeRV above t-SNE, and here it is below. t-SNE by rows keeps 0.01 to 0.03 more than
t-SNE on coil20, between 0.008 fewer and 0.013 more of the 5 to 300 nearest digits, and within 0.01 as much on the
sphere.
"""

WAYS = """The way to a drawing decides as much as the method does. In each column the objective is the same, with three
times the perplexity as neighbors, and less is better. The sphere, which has to be cut open, ends lower annealed by
NeRV and t-SNE, lower from our own start by JSE, and alike by SNE; coil20 ends lower from our own start:
"""

KAPPA = """## What kappa does

kappa = 0 is SNE; larger, false neighbors count more (the same paper, section 5.4.2 and figures 8 to 13). The paper
prints two numbers for each method, 100 B of the sphere at kappa 0.05 and 0.95, from 3,000 points where ours has 1,000.
The sphere is drawn annealed, as the paper draws it, the other sets from our own start.

![Curves of R over K for NeRV and JSE at five kappa, beside t-SNE](images/findings-kappa.png)
"""

KAPPA_SAID = """
kappa does in NeRV what the paper says, among the digits too. It takes a small background: with 0.1 in place of 0.01
NeRV draws digits at kappa 0.95 as a small disc. On the sphere NeRV squashes at 0.05 as SNE does,
and ends near the paper's B; JSE has cut it open already at 0.05, where the paper's is squashed. A larger kappa does not
always help JSE: with all pairs it keeps fewer of the 10 nearest digits at 0.95 than at 0.35, 0.5 and 0.65.
"""

FAMILY = """## The f-divergences of t-SNE

Im, Verma and Branson (2018) call two points neighbors when their similarity is above a threshold: $p_{j|i}$ in the
data, $q_{j|i}$ (each row of the Cauchy similarities divided by its sum) in the drawing, the same threshold for both. F
is the harmonic mean of mean precision and mean recall. They do not say which thresholds or perplexities their tables
have. Here the threshold is the one above which a point has 5, 10, ... neighbors in the data on average, and *greatest*
is over these; a point that retrieves nobody has precision 0. Their sets of digits have 6,000 images, ours 1,000, in 30
principal components as theirs. The last table has no threshold: it is the share of a point's K nearest (or K farthest)
in the data that are among its K nearest (farthest) in the drawing. The paper's table 3 names the divergence with the
greatest such share over a curve of K, whose range it does not give; here K goes up to 100. The 5 nearest stand beside.

![F over the number of neighbors for five divergences on eight settings](images/findings-f.png)
"""

FAMILY_SAID = """
On the faces reverse KL, JS and HL lie within 0.012 of each other in the greatest F, which says little about which of
them is best; KL is behind all three at perplexities 30 and 100. At few neighbors and a wide perplexity (the faces at
200, digit 1 at 100, the digits 0 to 4 at 300) reverse KL is the best.

On the digits 0 to 4 we do not find what the paper did: chi-square has the least of the greatest F at perplexities
30 and 300, and 0.002 more than reverse KL at 100. The other four lie within 0.022 of each other. KL leads where
neighborhoods are about as wide as the perplexity: at 20 and 50 neighbors for 30, from 50 on for 100.
"""

ALPHA = """## The order of alpha-SNE

Amid, Dikmen and Oja (2015) call the 20 nearest in the data relevant, retrieve the 1 to 100 nearest in the drawing, and
take the area under mean precision against mean recall. They give no perplexity; here it is 20. iris and wine are means
of three seeds, wine is standardized (unscaled, one column decides alone), digits are scikit-learn's 1,797. They
searched NeRV's parameter as they searched alpha; here both have ten values, alpha 0.1, 0.2, ..., 1 and kappa 0.9, 0.8,
..., 0 (alpha = 1 and kappa = 0 are SNE).
"""

ALPHA_SAID = """
NeRV that is searched as finely as alpha-SNE retrieves nearly as well: on iris and wine the two lie within 0.001 of each
other, on digits and coil20 alpha-SNE is ahead by 0.018 and 0.019.
"""

CHOICE = """## The order that the data choose

`alpha="auto"` reads the order off the pairs of its drawings and does not see what is retrieved (see [Choosing alpha
from the data](alpha.md)). Each order is drawn from the one before, which does not end where a drawing from scratch
does; so the drawing that `"auto"` gives is compared with the best of ten orders, and beside it one that is drawn from
scratch at the same order, as the ten were. The paper's are its means over 20 starts.

![The area over alpha on four sets, with the drawings of auto](images/findings-alpha.png)
"""

CHOICE_SAID = """
On digits the drawing that `"auto"` gives is better than all ten, by how it is drawn: from scratch at the same order it
is 0.001 below the best. On the other sets it is below the best by at most 0.004. On coil20 the order itself is not the
one that is best from scratch: there 0.35 falls behind 0.7 by 0.02, and the walk makes up for most of it.
"""
