/* Rows of a record; among its own files. */
#ifndef TOOL_RECORD_ROWS_H
#define TOOL_RECORD_ROWS_H

#include "record.h"

/* One row, which the run file keeps too unless it is one that only other files end with. */
int record_write_row(Record *record, CardanSim *sim, double t, bool in_run);

/* Those that the last step asks for. */
int record_write_rows(Record *record, CardanSim *sim);

/* Lines that are held back go into the files. */
int record_hand_over(Record *record);

/* Complaints, once of each file; give the exit status. */
int record_write_failed(RecordFile *file);
int record_run_failed(const Record *record, CardanStatus status);

#endif
