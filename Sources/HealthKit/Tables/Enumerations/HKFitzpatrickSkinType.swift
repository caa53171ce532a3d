// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A skin type, as the user entered it.
public enum HKFitzpatrickSkinType: Int, Sendable {
  case notSet = 0
  case I = 1
  case II = 2
  case III = 3
  case IV = 4
  case V = 5
  case VI = 6
}
