"""`lstm-attention`: the paper's first baseline, an LSTM with attention under the paper's own techniques."""

from neuralgpu.models.baseline_config import LSTMAttentionConfig
from neuralgpu.training.baseline_settings import LSTMAttentionSettings
from neuralgpu.training.recipes.recipe import Recipe

RECIPE = Recipe(model=LSTMAttentionConfig(), settings=LSTMAttentionSettings())
