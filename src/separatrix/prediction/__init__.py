"""From fitted numbers to predictions in plain numpy: what a saved model needs, and nothing that is slow to import."""

from separatrix.prediction.forms import FORMS, Form, Step, can_predict, predict_step

__all__ = ["FORMS", "Form", "Step", "can_predict", "predict_step"]
