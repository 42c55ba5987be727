# solvers: listed here as its files arrive.
