"""The variational form of ft-SNE: a network plays against the drawing."""
