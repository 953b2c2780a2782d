"""How well the classes are ranked: ROC and precision-recall curves of rows that were held out."""

from separatrix import plots
from separatrix.report.blocks import Text, picture
from separatrix.report.registry import section


@section("ranking", "How well are the classes told apart?", order=70, task="classification")
def ranking_curves(context):
    """ROC and precision-recall curves over all thresholds."""
    y, P = context.held_out
    two = len(context.classes) == 2
    who = f"rows of {context.classes[1]}" if two else "rows of each class"
    ranking = P[:, 1] if two else P
    text = (
        f"Every threshold on the probability finds some {who} (true positives) and raises some false alarms. A curve "
        "shows all thresholds at once; the closer to the upper left corner (ROC) or the upper right one "
        "(precision-recall), the better."
    )
    return [
        Text(text),
        picture(
            plots.roc(y, ranking, classes=context.classes),
            "ROC: the share of positives found against the share of negatives wrongly called. The dotted line is "
            "guessing. All folds are pooled here, so that the area may differ a little from the mean over the folds.",
        ),
        picture(
            plots.precision_recall(y, ranking, classes=context.classes),
            "Precision-recall: of the rows called positive how many are, against how many of the positives are found.",
        ),
    ]
