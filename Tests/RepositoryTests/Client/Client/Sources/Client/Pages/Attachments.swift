import Foundation
import HealthKit
import UniformTypeIdentifiers

/// Attaches the photograph of a prescription, lists it, reads it in every way, and removes it.
enum Attachments: Page {
  static func run() async throws {
    let store = try HKHealthStore.inMemory()
    let prescription = HKVisionPrescription(
      type: .glasses, dateIssued: Date(), expirationDate: nil, device: nil, metadata: nil)
    try await store.save(prescription)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).png")
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    try bytes.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }

    let attachmentStore = HKAttachmentStore(healthStore: store)
    guard let type = UTType(filenameExtension: url.pathExtension) else {
      throw ExpectationError(description: "type")
    }
    let added = try await attachmentStore.addAttachment(
      to: prescription, name: "Glasses Prescription", contentType: type, url: url)
    let attachments = try await attachmentStore.attachments(for: prescription)
    try expect(attachments == [added], "the attachments")
    for attachment in attachments {
      let mimeType = attachment.contentType.preferredMIMEType ?? attachment.contentType.identifier
      try expect(mimeType == "image/png" && attachment.size == bytes.count, "the attachment's type and size")
      let dataReader = attachmentStore.dataReader(for: attachment)
      try expect(try await dataReader.data == bytes, "all bytes")
      var data = Data()
      for try await byte in dataReader.bytes { data.append(byte) }
      try expect(data == bytes && dataReader.progress.isFinished, "byte by byte")
    }
    let whole: Data? = await withCheckedContinuation { continuation in
      _ = attachmentStore.getData(for: added) { data, _ in continuation.resume(returning: data) }
    }
    try expect(whole == bytes, "the handler's bytes")
    let completed = await withCheckedContinuation { continuation in
      let progress = attachmentStore.streamData(for: added) { _, error, done in
        if done { continuation.resume(returning: error == nil) }
      }
      _ = progress.fractionCompleted
    }
    try expect(completed, "the stream")
    try await attachmentStore.removeAttachment(added, from: prescription)
    try expect(try await attachmentStore.attachments(for: prescription).isEmpty, "removed")
  }
}
