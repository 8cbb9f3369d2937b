"""Parts of the report page. Building them is pure: what they need was read before."""
