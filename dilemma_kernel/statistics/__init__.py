"""Rates, effects, divergence, incidence, agreement: pure and vectorised, each interval by stated rule."""

from importlib import import_module
from typing import Any

_NAMES = {
    "agreement": ("Agreement", "cohen_kappa", "krippendorff_alpha"),
    "assumptions": ("Assumptions", "assumptions_from"),
    "bootstrap": ("bootstrap_interval", "bootstrap_rates"),
    "clusters": ("Groups", "group", "sums"),
    "divergence_correction": ("corrected_divergence", "corrected_divergence_elsewhere"),
    "correction": ("confusion_estimate", "difference_estimate"),
    "divergence": (
        "PairedDivergence",
        "Ratio",
        "conditioned_divergence",
        "divergence_bounds",
        "divergence_ratio",
        "paired_divergence",
        "ratio_difference",
        "triple_bounds",
        "wording_null",
        "wording_ratio",
    ),
    "effects": ("fault_free", "interaction_effects", "main_effects", "paired_effect"),
    "gee": ("gee_effects",),
    "incidence": ("CAUSES", "CauseCurve", "Incidence", "cumulative_incidence", "incidence_from_counts"),
    "power": ("Power", "cores_for_power", "power_of_design"),
    "published": ("PublishedCell", "PublishedTransfer", "published_cells", "published_transfer"),
    "rates": ("AboveChance", "above_chance", "bounds", "rate", "rate_arrays", "wilson_rate"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
