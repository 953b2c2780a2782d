"""What a text is about, by Bernoulli naive Bayes: a word is there or it is not, and both say something.

A toy of three words, worked out by hand, and 5,574 text messages, of which 747 are spam (Almeida et al. 2011): which
words speak most for each class.

The messages are not ours to ship. Save the SMS Spam Collection of the UCI repository as sms_spam.tsv (a label, a tab
and the text on each line) beside this script, or in a folder shared/data/tables beside or above the repository. Without
it only the toy is computed and drawn.
"""

from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from separatrix.naive_bayes import BernoulliNB

WORDS = ("goal", "recipe", "win")
TEXTS = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 1, 0]])
TOPICS = np.array(["sports", "sports", "cooking", "cooking", "cooking"])
NEW = np.array([[1, 1, 0]])
SHOWN = 14
HERE = Path(__file__).resolve()


def messages():
    """Texts and labels "ham" or "spam", or None where the file is not there."""
    places = [HERE.with_name("sms_spam.tsv")]
    places += [folder / "shared" / "data" / "tables" / "sms_spam.tsv" for folder in HERE.parents]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        return None
    labels, texts = zip(*(line.split("\t", 1) for line in found.read_text(encoding="utf-8").splitlines()))
    return list(texts), np.array(labels)


def toy():
    """Probabilities of the words with and without Laplace's rule, and the posterior of a new text."""
    smoothed, likeliest = BernoulliNB().fit(TEXTS, TOPICS), BernoulliNB(alpha=0.0).fit(TEXTS, TOPICS)
    return {
        "model": smoothed,
        "laplace": np.exp(smoothed.feature_log_prob_),
        "likeliest": np.exp(likeliest.feature_log_prob_),
        "posterior": smoothed.predict_proba(NEW)[0],
        "posterior_unsmoothed": likeliest.predict_proba(NEW)[0],
    }


def spam():
    """How well spam is told from ham, and the words with the largest weights in the log-odds."""
    found = messages()
    if found is None:
        return None
    texts, labels = found
    words = CountVectorizer(binary=True, min_df=5)
    X = words.fit_transform(texts)
    train, test, y_train, y_test = train_test_split(X, labels, test_size=0.25, random_state=0)
    model = BernoulliNB().fit(train, y_train)
    weights, names = model.coef_[0], words.get_feature_names_out()
    order = np.argsort(weights)
    return {
        "accuracy": model.score(test, y_test),
        "ham": [(str(names[j]), float(weights[j])) for j in order[:SHOWN]],
        "spam": [(str(names[j]), float(weights[j])) for j in order[::-1][:SHOWN]],
        "empty": float(model.intercept_[0]),
        "words": len(names),
    }


def compute():
    """The toy, and the messages where they are at hand."""
    return {"toy": toy(), "messages": spam()}


def draw(path):
    """What each word of the toy adds to the log-odds where it is there and where it is not; and the words of spam."""
    import matplotlib.pyplot as plt

    found = compute()
    with plt.style.context(HERE.with_name("gallery.mplstyle")):
        figure, panels = plt.subplots(1, 2 if found["messages"] else 1, figsize=(10.6, 5.4), squeeze=False)
        draw_toy(panels[0, 0], found["toy"])
        if found["messages"]:
            draw_words(panels[0, 1], found["messages"])
        figure.savefig(path)
        plt.close(figure)


def draw_toy(axes, found):
    mu = found["laplace"]
    there, absent = np.log(mu[1] / mu[0]), np.log((1.0 - mu[1]) / (1.0 - mu[0]))
    at = np.arange(len(WORDS))
    axes.barh(at - 0.18, there, 0.34, color="C0", label="the word is there")
    axes.barh(at + 0.18, absent, 0.34, color="C1", label="it is not")
    axes.axvline(0.0, color="0.4", linewidth=1.0)
    axes.set_yticks(at, WORDS)
    axes.invert_yaxis()
    axes.set(xlabel="added to the log-odds of sports against cooking", title="Absent words speak, too")
    axes.legend(fontsize=8)


def draw_words(axes, found):
    rows = found["spam"] + found["ham"][::-1]
    at = np.arange(len(rows))
    colours = ["C3"] * len(found["spam"]) + ["C2"] * len(found["ham"])
    axes.barh(at, [weight for _, weight in rows], color=colours)
    axes.set_yticks(at, [word for word, _ in rows], fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.4", linewidth=1.0)
    title = f"Words of spam and of ham: {found['accuracy']:.1%} right"
    axes.set(xlabel="weight in the log-odds of spam", title=title)


if __name__ == "__main__":
    for name, values in compute().items():
        print(name, values)
