// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How the sound of a hearing test reaches the inner ear.
public enum HKAudiogramConductionType: Int, Sendable {
  case air = 0
}
