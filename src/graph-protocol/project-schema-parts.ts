import { type TProperties, Type } from 'typebox';

// Keys a newer or a hosted platform knows are accepted and ignored, so that one file serves both.
export const open = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: true });

export const Text = Type.String({ minLength: 1 });
export const Texts = Type.Array(Type.String());
export const Flag = Type.Optional(Type.Boolean());
export const Count = Type.Optional(Type.Integer({ minimum: 1 }));
