"""What a fit or a score hands on about rows, as scikit-learn routes it: groups to a splitter, weights to a scorer.

References: scikit-learn's user guide, chapter "Metadata Routing".
"""

from typing import Any, NamedTuple

from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from separatrix.core.errors import cannot


class Routed(NamedTuple):
    """Keyword arguments of the splitter's ``split`` (none but in a fit) and of the scorer."""

    split: dict[str, Any]
    score: dict[str, Any]


class ChoosesByFolds:
    """A model that cross-validates within its fit, which passes on what its splitter and its scorer ask for."""

    cv: Any
    _calls_scorer: tuple[str, ...] = ("fit",)  # methods that call the scorer

    def get_metadata_routing(self) -> MetadataRouter:
        """Where metadata of the rows go: to the splitter, and to the scorer where there is one."""
        from sklearn.model_selection import check_cv  # 0.2 s that other models need not spend

        router = MetadataRouter(owner=self).add_self_request(self)
        scorer = self._routed_scorer()
        if scorer is not None:
            calls = MethodMapping()
            for method in self._calls_scorer:
                calls.add(caller=method, callee="score")
            router.add(scorer=scorer, method_mapping=calls)
        return router.add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))

    def _routed_scorer(self):
        return None

    def _route(self, sample_weight, metadata, method="fit"):
        """What the splitter and the scorer get; metadata are refused unless scikit-learn routes them."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, method, **weights, **metadata)
            return Routed(routed.get("splitter", {}).get("split", {}), routed.get("scorer", {}).get("score", {}))
        if metadata:
            raise cannot(
                f"pass {', '.join(metadata)} to the {method} of {type(self).__name__}",
                because="passing metadata of the rows is only supported if enable_metadata_routing=True",
                instead="sklearn.set_config(enable_metadata_routing=True), or cv=list(splitter.split(X, y, groups))",
            )
        return Routed({}, weights)
