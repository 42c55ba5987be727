/* chunks.h - what a reduction leaves of chunks of values, a value each, one row's behind another's:
 * several devices fold the chunks of their own values, and the first one folds what they leave. */
#ifndef TRIREME_CHUNKS_H
#define TRIREME_CHUNKS_H

#include "core/internal.h"

/* Declares it of a crew's buffer, once, before anything is written. Where there are fewer chunks
 * than devices it is not shared. */
trm_status crew_declare_chunks(trm_buffer *buffer, size_t chunks, size_t rows,
                               size_t value_bytes);

#endif
