"""Cancer screening: ten thousand people, a hundred of them ill, and five ways to answer.

Whoever says "no" to everybody is right for 99 % and finds nobody; whoever says "yes" to everybody finds all and is
wrong for 99 %. A blood value that is higher by two standard deviations in the ill lies between: a threshold on it buys
recall with precision.
"""

from pathlib import Path

import numpy as np

from separatrix.assess import accuracy_report, confusion, f1, precision, precision_recall_curve, recall, roc_curve

HEALTHY, ILL, SHIFT, SEED = 9900, 100, 2.0, 0
THRESHOLDS = (1.0, 2.0, 3.0)


def people():
    """Who is ill (1), and everybody's blood value."""
    y = np.repeat([0, 1], [HEALTHY, ILL])
    return y, np.random.default_rng(SEED).standard_normal(len(y)) + SHIFT * y


def compute():
    """Accuracy, precision, recall and F1 of five answers, and the curves over all thresholds."""
    y, value = people()
    answers = {"always no": np.zeros_like(y), "always yes": np.ones_like(y)}
    answers |= {f"value > {t:g}": (value > t).astype(int) for t in THRESHOLDS}
    return {
        "answers": {
            name: {
                "report": accuracy_report(y, said),
                "counts": confusion(y, said, labels=[1, 0]),
                "precision": precision(y, said, undefined=np.nan),
                "recall": recall(y, said),
                "f1": f1(y, said, undefined=np.nan),
            }
            for name, said in answers.items()
        },
        "roc": roc_curve(y, value),
        "curve": precision_recall_curve(y, value),
    }


def draw(path):
    """Bars of the four measures for each answer; precision against recall; the ROC curve, which flatters."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(Path(__file__).with_name("gallery.mplstyle")):
        figure, (bars, left, right) = plt.subplots(1, 3, figsize=(11, 3.9), width_ratios=(1.5, 1, 1))
        _draw_bars(bars, found["answers"])
        curve = found["curve"]
        left.plot(curve["recall"], curve["precision"], color="C0")
        left.axhline(curve.facts["base_rate"], color="0.6", linestyle=":")
        left.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.02))
        left.set_title("Recall is paid for with precision")
        right.plot(found["roc"]["false_positive_rate"], found["roc"]["true_positive_rate"], color="C2")
        right.plot([0, 1], [0, 1], color="0.6", linestyle=":")
        right.set(xlabel="healthy people alarmed", ylabel="ill people found", xlim=(0, 1), ylim=(0, 1.02))
        right.set_title(f"The same scores: area {found['roc'].facts['area']:.2f}")
        for name, style in zip(list(found["answers"])[2:], ("o", "s", "^")):
            answer = found["answers"][name]
            cells = answer["counts"].of(1)
            left.plot(answer["recall"], answer["precision"], style, color="0.2")
            right.plot(cells["fp"] / HEALTHY, answer["recall"], style, color="0.2", label=name)
        right.legend(frameon=False, loc="lower right")
        figure.savefig(path)
        plt.close(figure)


def _draw_bars(axes, answers):
    measures = [("accuracy", "0.6"), ("precision", "C0"), ("recall", "C1"), ("f1", "C2")]
    for k, (measure, colour) in enumerate(measures):
        values = [a["report"].accuracy if measure == "accuracy" else a[measure] for a in answers.values()]
        places = np.arange(len(values)) + 0.2 * (k - 1.5)
        axes.bar(places, np.nan_to_num(values), 0.18, color=colour, label="F1" if measure == "f1" else measure)
        for place, value in zip(places, values):
            if np.isnan(value):
                axes.annotate("0/0", (place, 0.01), ha="center", fontsize=7, rotation=90, color=colour)
    axes.set_xticks(range(len(answers)), [name.replace(" ", "\n", 1) for name in answers])
    axes.set(ylim=(0, 1.18))
    axes.legend(frameon=False, ncols=4, loc="upper center", columnspacing=1.0, handlelength=1.0)


if __name__ == "__main__":
    for name, answer in compute()["answers"].items():
        print(f"{name:10}  accuracy {answer['report'].accuracy:.4f}  precision {answer['precision']:.4f}  "
              f"recall {answer['recall']:.4f}  F1 {answer['f1']:.4f}")  # fmt: skip
