/* Python without a home: everything that it imports is in this file, where boot.py finds it.
 * Built by tools/executable/__main__.py, which writes boot.h with the code that must be there before boot.py runs.
 */
#include <Python.h>

#include "boot.h"

int main(int argc, char **argv) {
    PyPreConfig preconfig;
    PyPreConfig_InitIsolatedConfig(&preconfig);
    preconfig.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&preconfig);
    if (PyStatus_Exception(status)) Py_ExitStatusException(status);

    PyImport_FrozenModules = BOOT_MODULES;

    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.write_bytecode = 0;
    config.pathconfig_warnings = 0;
    config.install_signal_handlers = 1;
    config.parse_argv = 0;
    config.module_search_paths_set = 1;
    status = PyConfig_SetBytesArgv(&config, argc, argv);
    if (PyStatus_Exception(status)) Py_ExitStatusException(status);
    PyConfig_SetBytesString(&config, &config.home, "/");
    PyConfig_SetBytesString(&config, &config.executable, argv[0]);
    status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) Py_ExitStatusException(status);

    PyObject *boot = PyImport_ImportModule("_boot");
    if (boot == NULL) {
        PyErr_Print();
        return 3;
    }
    return Py_FinalizeEx() < 0 ? 120 : 0;
}
