# io: listed here as its files arrive.
