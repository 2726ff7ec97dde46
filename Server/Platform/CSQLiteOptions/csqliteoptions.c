#include "csqliteoptions.h"

#include <sqlite3.h>
#include <stddef.h>

void sqlite_options_keep_plans(sqlite3 *connection) { sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL); }
