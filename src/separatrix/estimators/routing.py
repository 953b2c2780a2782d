"""What a fit hands on about the rows, as scikit-learn routes it: groups to the splitter, weights to the scorer.

References: scikit-learn's user guide, chapter "Metadata Routing".
"""

from typing import Any, NamedTuple

from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from separatrix.core.errors import cannot


class Routed(NamedTuple):
    """Keyword arguments of the splitter's ``split`` and of the scorer."""

    split: dict[str, Any]
    score: dict[str, Any]


class ChoosesByFolds:
    """A model that cross-validates within its fit, which passes on what its splitter and its scorer ask for."""

    cv: Any

    def get_metadata_routing(self) -> MetadataRouter:
        """Where metadata of the rows go: to the splitter, and to the scorer where there is one."""
        from sklearn.model_selection import check_cv  # 0.2 s that other models need not spend

        router = MetadataRouter(owner=self).add_self_request(self)
        scorer = self._routed_scorer()
        if scorer is not None:
            router.add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        return router.add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))

    def _routed_scorer(self):
        return None

    def _route(self, sample_weight, metadata):
        """What the splitter and the scorer get; metadata are refused unless scikit-learn routes them."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **metadata)
            return Routed(routed["splitter"]["split"], routed["scorer"]["score"] if "scorer" in routed else {})
        if metadata:
            raise cannot(
                f"pass {', '.join(metadata)} to the fit of {type(self).__name__}",
                because="passing metadata of the rows is only supported if enable_metadata_routing=True",
                instead="sklearn.set_config(enable_metadata_routing=True), or cv=list(splitter.split(X, y, groups))",
            )
        return Routed({}, {} if sample_weight is None else {"sample_weight": sample_weight})
