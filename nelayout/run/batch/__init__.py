"""Small components drawn together: the stages of `run.component`, for many graphs at a time."""
