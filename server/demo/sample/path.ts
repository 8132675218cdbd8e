// Where the sample files are served. A module apart from their bytes, whose libraries a server
// without samples must not load.
export const SAMPLES_PATH = '/demo/samples/'
