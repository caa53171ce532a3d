import Foundation
import FuzzDriver
import HealthKit

/// Decodes the input as an archive of each HealthKit class, and uses the object. An archive must not create
/// an object that no initializer could create.
@main
enum FuzzHealthKit {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  let data = Data(bytes)
  read(HKSample.self, data) { sample in
    precondition(sample.startDate <= sample.endDate)
    _ = sample.metadata
    _ = sample.device?.description
    if let sample = sample as? HKQuantitySample {
      precondition(sample.quantityType.is(compatibleWith: HKUnit(from: unit(of: sample.quantity))))
    }
    if let correlation = sample as? HKCorrelation { precondition(!correlation.objects.isEmpty) }
    if let workout = sample as? HKWorkout { precondition(workout.duration >= 0) }
  }
  read(HKQuantity.self, data) { precondition(HKUnit(from: unit(of: $0)).unitString == unit(of: $0)) }
  read(HKUnit.self, data) { precondition(HKUnit(from: $0.unitString) == $0) }
  read(HKObjectType.self, data) { _ = $0.requiresPerObjectAuthorization() }
  read(HKSourceRevision.self, data) { _ = $0.description }
  read(HKQueryAnchor.self, data) { _ = $0.hash }
  read(HKDeletedObject.self, data) { _ = $0.metadata }
  read(HKWorkoutActivity.self, data) { precondition($0.duration >= 0) }
  read(HKWorkoutEvent.self, data) { _ = $0.metadata }
}

/// Archives the decoded object and decodes it again.
private func read<Object: HKArchivable>(_ type: Object.Type, _ data: Data, _ use: (Object) -> Void) {
  guard let object = try? NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data) else { return }
  use(object)
  guard let again = try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true),
    let back = try? NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: again)
  else { preconditionFailure("\(object) does not come back from its own archive") }
  precondition(back == object)
}

private func unit(of quantity: HKQuantity) -> String {
  String(quantity.description.drop { $0 != " " }.dropFirst())
}
