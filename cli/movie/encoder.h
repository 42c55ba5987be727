/* encoder.h - frames to an installed ffmpeg, which makes an MP4 or a GIF of them. */
#ifndef TRIREME_CLI_ENCODER_H
#define TRIREME_CLI_ENCODER_H

#include <stdatomic.h>

#include "io/image.h"

typedef struct encoder encoder;

/* Starts ffmpeg, the first of that name in PATH: format "mp4" or "gif", `second` frames of
 * width x height pixels a second. TRM_ERROR_UNSUPPORTED if PATH has no ffmpeg. While the program
 * waits for ffmpeg, a nonzero *stopped ends the wait with TRM_ERROR_INTERRUPTED. */
trm_status encoder_start(const char *path, const char *format, size_t width, size_t height,
                         unsigned second, const atomic_int *stopped, encoder **out);
trm_status encoder_add(encoder *to, const trmi_image *frame);
/* Waits for it; the file appears where it ended well. Frees in any case. cure: as
 * trm_file_commit_new has it. */
trm_status encoder_finish(encoder **handle, const char *cure);
/* Ends it and gives the file up. Accepts NULL. */
void encoder_stop(encoder **handle);

#endif
