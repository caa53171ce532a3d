import HealthKit

/// Why a record of an export, or a part of it, is not stored. The raw value is its name in counts.
public enum RecordFlaw: String, Error, Sendable, CaseIterable {
  /// A tag of it, or in it, cannot be read, or its end is missing.
  case damaged
  /// A time is missing or is none.
  case time
  /// A value is missing, or is none of the type.
  case value
  /// A unit is missing, unknown, or does not fit the type.
  case unit
  /// The sample would break a rule of HealthKit's, such as an end before the start.
  case rule
  /// An entry of metadata is none of its key; the record is stored without it.
  case metadata
  /// A list of beats cannot be read, or lies outside its record; the record is stored without it.
  case beats
  /// An event or a part of a workout does not lie in it; the workout is stored without it.
  case workoutPart
  /// A character that XML does not have; the record is stored without it.
  case character

  /// Whether the record is stored, without what is flawed.
  public var isPartial: Bool {
    switch self {
    case .metadata, .beats, .workoutPart, .character: true
    case .damaged, .time, .value, .unit, .rule: false
    }
  }
}
