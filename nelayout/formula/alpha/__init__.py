"""The choice of alpha from data: the density of similarities (`density`), the order that fits it best (`choice`)."""
