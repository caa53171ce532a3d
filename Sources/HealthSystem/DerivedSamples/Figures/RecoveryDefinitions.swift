/// Definitions of the values of `hrgate recovery`, one line each, by JSON name. The command line and the page
/// show them.
package enum RecoveryDefinitions {
  package static let lines = [
    "end: the end of the exercise, as given or from a stored workout",
    "peak: the highest heart rate from 30 s before the end to 10 s after, beats per minute",
    "afterOneMinute: the mean from 55 to 65 s after the end, weighted by time, beats per minute",
    "recovery: peak minus afterOneMinute, in beats per minute (Cole 1999); only meaningful if the exercise stopped at once",
    "refused: the reason for a missing value: no-heart-rate, or no-recovery if the rate did not fall",
  ]
}
