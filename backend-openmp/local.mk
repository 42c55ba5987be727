# backend-openmp: listed here as its files arrive.
