import HealthDataSync
import HealthSystem

extension SampleLine {
  /// A line for a person.
  var text: String { "\(start)  \(type)\(what.map { "  " + $0 } ?? "")  \(source.name.plain)" }

  /// What was measured; `nil` where it does not fit into a line, as an electrocardiogram's.
  private var what: String? {
    if let beats { return "\(Counted.text(beats.count, "beat")) in \(beats.last?.offset ?? 0) s" }
    if let workout { return workout.text }
    if let members {
      return members.map { "\(TypeName.short(ofIdentifier: $0.type)) \($0.what ?? "")" }.joined(
        separator: ", ")
    }
    if let valueName { return valueName }
    guard let value else { return nil }
    // A category's that has no name has no unit either.
    return unit.map { "\(ShownValue.of(value, $0)) \($0)" } ?? "\(Int64(value))"
  }
}

extension SampleLine.WorkoutPart {
  fileprivate var text: String {
    let totals = [totalEnergyBurned, totalDistance, totalSwimmingStrokeCount, totalFlightsClimbed]
    return ([activityType, Age.text(seconds: Int64(duration.rounded()))] + totals.compactMap { $0?.text })
      .joined(separator: ", ")
  }
}
