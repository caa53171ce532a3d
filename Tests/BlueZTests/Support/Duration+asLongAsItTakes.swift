extension Duration {
  /// The patience of a test that is not about patience: a scripted bluetoothd on a busy machine may take
  /// longer for its first answer than a real one that works.
  static let asLongAsItTakes = Duration.seconds(600)
}
