import HealthDataSync
import HealthSystem

extension SampleLine {
  /// The sample as one line of text.
  var text: String { "\(start)  \(type)\(what.map { "  " + $0 } ?? "")  \(source.name.plain)" }

  /// The measured value; `nil` if it does not fit on a line, like an audiogram.
  private var what: String? {
    if let beats { return "\(Counted.text(beats.count, "beat")) in \(beats.last?.offset ?? 0) s" }
    if let workout { return workout.text }
    if let members {
      return members.map { "\(TypeName.short(ofIdentifier: $0.type)) \($0.what ?? "")" }.joined(
        separator: ", ")
    }
    if let valueName { return valueName }
    if let electrocardiogram { return electrocardiogram.classification }
    if let dose { return dose.status + (dose.quantity.map { ", \($0)" } ?? "") }
    guard let value else { return nil }
    // A category value without a name has no unit either.
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
