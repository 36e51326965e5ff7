"""Pieces and nodes move where edges cross; planar graphs are drawn again."""
