"""The variational form of ft-SNE: a network and the drawing play a game."""
