# backend-opencl: listed here as its files arrive.
