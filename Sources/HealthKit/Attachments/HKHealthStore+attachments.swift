import Foundation
import HealthStorage

extension HKHealthStore {
  func attach(_ attachment: NewAttachment, to object: HKObject) async throws -> HKAttachment {
    let (sample, owner) = try owner(of: object)
    let (record, bytes) = try attachment.read()
    let isStored = try await HKError.translating {
      try await admit(.save([sample.sampleType]))
        .attach(record, bytes, to: owner, greatestCount: NewAttachment.greatestCount)
    }
    guard isStored else {
      throw HKError(
        .errorInvalidArgument, reason: "an object has at most \(NewAttachment.greatestCount) attachments")
    }
    return HKAttachment(record)
  }

  func attachments(of object: HKObject) async throws -> [HKAttachment] {
    try await HKError.translating {
      try await admit(.read([])).attachments(of: object.uuid, protection: ObjectTypes.protection)
        .map { HKAttachment($0) }
    }
  }

  func detach(_ attachment: HKAttachment, from object: HKObject) async throws {
    let (sample, owner) = try owner(of: object)
    let isDeleted = try await HKError.translating {
      try await admit(.save([sample.sampleType])).deleteAttachment(attachment.identifier, of: owner)
    }
    guard isDeleted else {
      throw HKError(.errorInvalidArgument, reason: "the object has no such attachment")
    }
  }

  private func owner(of object: HKObject) throws(HKError) -> (HKSample, SampleDatabase.AttachmentOwner) {
    guard let prescription = object as? HKVisionPrescription else {
      throw HKError(.errorInvalidArgument, reason: "only prescriptions can have attachments")
    }
    let owner = SampleDatabase.AttachmentOwner(
      sample: prescription.uuid, savedBy: revision.source.bundleIdentifier,
      ofTypes: [HKObjectType.visionPrescriptionType().identifier], protection: ObjectTypes.protection)
    return (prescription, owner)
  }
}

extension ObjectTypes {
  /// Returns what the user must permit before a program may read objects of a type: the type itself, the
  /// types that it contains, or each single object.
  @Sendable static func protection(_ identifier: String) -> ProtectedType {
    type(identifier)?.protected ?? .type(identifier)
  }
}
