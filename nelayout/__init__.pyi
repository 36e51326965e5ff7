from . import divergences as divergences
from . import kernels as kernels
from . import optimizers as optimizers
from .affinities.entropic import entropic_affinity as entropic_affinity
from .affinities.knn import knn_graph as knn_graph
from .catalogue import methods as methods
from .comparison import Comparison as Comparison
from .comparison import Measured as Measured
from .comparison import align as align
from .comparison import compare as compare
from .comparison import measure as measure
from .comparison import measures as measures
from .costs import Estimate as Estimate
from .costs import estimate as estimate
from .drawing import draw as draw
from .embedding import embed as embed
from .errors import Unsupported as Unsupported
from .layouts import ee_layout as ee_layout
from .layouts import gamma_linlog_layout as gamma_linlog_layout
from .layouts import gamma_quadlog_layout as gamma_quadlog_layout
from .layouts import hssne_layout as hssne_layout
from .layouts import layout as layout
from .layouts import linlog_layout as linlog_layout
from .layouts import mds_ks_layout as mds_ks_layout
from .layouts import polylog_layout as polylog_layout
from .layouts import quadlog_layout as quadlog_layout
from .layouts import ssne_layout as ssne_layout
from .layouts import tsne_layout as tsne_layout
from .layouts import ws_sne_layout as ws_sne_layout
from .method import Method as Method
from .method import Stage as Stage
from .pipeline import solve as solve
from .solution import Solution as Solution

__version__: str
_HOME: dict[str, str]
