"""How "auto" decides: candidates, the verdict on them, roads, masses."""
