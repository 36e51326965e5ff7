"""The choice of alpha from data: `density` of similarities, `choice` of the best order."""
