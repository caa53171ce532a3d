/// The result of a call.
enum BlueZAnswer: Sendable {
  case done
  case value([UInt8])
  case failed(BlueZError)
}
