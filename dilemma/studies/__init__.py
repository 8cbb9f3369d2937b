"""Studies: they compose the stages, and hand one stage's products to the next."""
