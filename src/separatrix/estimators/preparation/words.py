r"""Free text for a linear model: words counted and weighted by rarity, :math:`w = c (1 + \log\frac{1+n}{1+d})`."""

from collections import Counter

import numpy as np

from separatrix.core.declaration import declares
from separatrix.estimators.preparation.columns import NARROW, CellColumns
from separatrix.estimators.validation import check_choice, check_number
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.cells import as_text
from separatrix.prediction.words import bag, words_of


@declares(
    task="transformation",
    prediction=forms.WORDS,
    verification=PREPARED,
)
class Words(CellColumns):
    r"""A column for each word of a vocabulary, as a sparse array.

    .. math:: w_{im} = \frac{c_{im}\, \mathrm{idf}_m}{\sqrt{\sum_l c_{il}^2\, \mathrm{idf}_l^2}}, \qquad
              \mathrm{idf}_m = 1 + \log\frac{1 + n}{1 + d_m}

    where c counts word m in text i, and d the texts that have it. A word is a run of letters and digits, in lower case;
    an apostrophe inside belongs to it. A missing text has no words.

    Parameters
    ----------
    weighting : {"tf-idf", "counts", "presence"}, default "tf-idf".  The formula above; c; or 1 where c is positive.
    max_words : int, [1, inf), default 20000.  Words that are kept of each column: those in most texts, of equals the
        first by letters.
    min_texts : int, [1, inf), default 2.  Texts in which a word must occur. If no word does, all words are kept.
    sparse : {True, False, "auto"}, default True.  Whether the result is a sparse array; "auto": if it has more than 200
        columns. Many models take nothing but arrays.

    Attributes
    ----------
    vocabulary_ : list of p lists of str.  By letters. A column without any word has the vocabulary [""], which no text
        holds.
    idf_ : list of p arrays.
    sparse_ : bool.  Whether the result is a sparse array.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, 6.2.

    >>> import numpy as np
    >>> texts = np.array([["Win a prize"], ["Win NOW, win!"], [None]], dtype=object)
    >>> words = Words(weighting="counts").fit(texts)
    >>> words.get_feature_names_out(["message"]), words.transform(texts).sum(axis=1)
    (array(['message: win'], dtype=object), array([1., 2., 0.]))
    """

    def __init__(
        self, *, weighting: str = "tf-idf", max_words: int = 20_000, min_texts: int = 2, sparse: bool | str = True
    ) -> None:
        self.weighting = weighting
        self.max_words = max_words
        self.min_texts = min_texts
        self.sparse = sparse

    _determines_flags = False  # thousands of columns, nearly all zero
    _arithmetic = staticmethod(bag)

    def _learn(self, X):
        check_choice(self, "weighting", ("tf-idf", "counts", "presence"))
        check_number(self, "max_words", 1, integer=True)
        check_number(self, "min_texts", 1, integer=True)
        check_choice(self, "sparse", ("auto", False, True))
        n = len(X)
        self.vocabulary_, self.idf_ = [], []
        for j in range(X.shape[1]):
            texts = Counter()
            for text in as_text(X[:, j]):
                texts.update(set(words_of(text)))
            often = [word for word in texts if texts[word] >= self.min_texts] or list(texts)
            often.sort(key=lambda word: (-texts[word], word))
            words = sorted(often[: self.max_words]) or [""]
            self.vocabulary_.append(words)
            self.idf_.append(1.0 + np.log((1.0 + n) / (1.0 + np.array([texts[word] for word in words]))))

        self.sparse_ = sum(map(len, self.vocabulary_)) > NARROW if self.sparse == "auto" else self.sparse

    def _names(self, names):
        return [f"{name}: {word}" for name, words in zip(names, self.vocabulary_) for word in words]
