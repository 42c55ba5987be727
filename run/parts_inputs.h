/* parts_inputs.h - files that keys name, for ranks that do not see them as rank 0 does. */
#ifndef TRIREME_RUN_PARTS_INPUTS_H
#define TRIREME_RUN_PARTS_INPUTS_H

#include "core/domain/domain.h"
#include "io/config.h"

/* Collective. Rank 0 sends the files that a key names (input_files.h) to ranks that see another
 * file at one of their paths, or none. Such a rank keeps them in a folder of its own below TMPDIR,
 * and its key names the copies. *folder is that folder, or NULL. */
trm_status parts_inputs_share(const domain_comm *comm, trm_config *config, char **folder);
void parts_inputs_remove(char **folder);

#endif
