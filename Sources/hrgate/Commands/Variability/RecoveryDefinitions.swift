/// Definitions of the figures of `hrgate recovery`, one line each, by JSON name.
enum RecoveryDefinitions {
  static let lines = [
    "end: when the exercise ended, as named, or a stored workout's end",
    "peak: the highest heart rate from 30 s before the end to 10 s after, beats per minute",
    "afterOneMinute: the mean from 55 to 65 s after the end, weighted by time, beats per minute",
    "recovery: peak less afterOneMinute, in beats (Cole 1999); it means something only where the exercise ended at once",
    "refused: why there is no figure: no-heart-rate, or no-recovery where the rate did not fall",
  ]
}
