# backend-cuda: listed here as its files arrive.
