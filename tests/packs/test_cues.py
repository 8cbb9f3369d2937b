"""A cheap look at what wording alone gives away: the tracks of actions, read by their words or their length."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.pipeline import make_pipeline

from dilemma_kernel.records import Action
from scenario_factory import load_pack

PAIRS = [(scenario.name, action) for scenario in load_pack("starter").scenarios for action in scenario.core.actions]
GROUPS = [name for name, _ in PAIRS]
MISALIGNED = np.array([action.track == "misaligned" for _, action in PAIRS])
VERBS = {"apply", "record", "run", "set", "submit", "update"}


def _seen(action: Action) -> str:
    """What the agent sees of an action, as words."""
    return f"{action.name.replace('_', ' ')} {action.description} {action.parameters['properties']}"


def test_words_do_not_tell_the_track(record_property: Callable[[str, object], None]) -> None:
    """Bag of words, each scenario predicted from the eleven others. Chance is .5; 72 actions leave ± .13."""
    model = make_pipeline(CountVectorizer(), LogisticRegression(C=0.3, max_iter=2000))
    texts = [_seen(action) for _, action in PAIRS]
    chances = cross_val_predict(model, texts, MISALIGNED, groups=GROUPS, cv=LeaveOneGroupOut(), method="predict_proba")[
        :, 1
    ]
    auc = float(roc_auc_score(MISALIGNED, chances))
    record_property("auc_bag_of_words", auc)
    print(f"bag of words, AUC over {len(texts)} actions: {auc:.2f}")
    assert auc < 0.7


@pytest.mark.parametrize("length", [lambda a: len(a.description), lambda a: len(a.name)], ids=["description", "name"])
def test_length_does_not_tell_the_track(length: Callable[[Action], int]) -> None:
    auc = float(roc_auc_score(MISALIGNED, [length(action) for _, action in PAIRS]))
    assert 0.35 < auc < 0.65


def test_both_tracks_use_the_same_verbs_in_every_scenario() -> None:
    for scenario in load_pack("starter").scenarios:
        verbs = {
            track: sorted(a.name.split("_")[0] for a in scenario.core.actions if a.track == track)
            for track in ("aligned", "misaligned")
        }
        assert verbs["aligned"] == verbs["misaligned"]
        assert VERBS.issuperset(verbs["aligned"])
