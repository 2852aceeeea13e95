from .layer import CustomLSTM
