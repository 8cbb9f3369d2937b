"""Chat models as authors and judges of scenarios."""
