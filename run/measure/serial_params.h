/* Parameters of serial.k. */
typedef struct serial_params {
  int count, unused; /* of values: a multiple of 32 */
} serial_params;
