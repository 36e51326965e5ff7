"""A drawing that stays open: it descends in short steps while its graph is edited."""
